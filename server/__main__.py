"""`hearts-server` and `python -m server`."""

import os
import sys

from server.config import Config, ConfigError


def main() -> None:
    """Read the settings, serve, and leave with an exit code: 2 for a wrong setting, 1 for what cannot start."""
    try:
        config = Config.load(sys.argv[1:], os.environ)
    except ConfigError as error:
        sys.exit(_complain(error, 2))
    from server.embedded import EmbeddedError  # after the settings: --help should not wait for the rest
    from server.endpoint import Endpoint, WrongURL
    from server.serve import run_loop, serve_alone

    try:
        if config.redis_url:
            Endpoint.parse(config.redis_url)  # once, and not by every worker again and again
        if config.workers == 1:
            run_loop(serve_alone(config))
        else:
            from server.workers import serve_with_workers

            run_loop(serve_with_workers(config))
    except WrongURL as error:
        sys.exit(_complain(error, 2))
    except (EmbeddedError, OSError) as error:
        sys.exit(_complain(error, 1))
    except KeyboardInterrupt:
        sys.exit(130)  # while still starting


def _complain(error: Exception, code: int) -> int:
    print(f"hearts-server: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    main()
