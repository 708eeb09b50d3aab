"""Settings: flag beats environment beats default, and a wrong one is named in one sentence."""

from ipaddress import ip_network

import msgspec
import pytest

from server.config import Config, ConfigError, Span


def test_defaults_are_those_of_the_contract() -> None:
    config = Config.load([], {})
    assert config == Config()
    assert (config.body_limit, config.tables_per_player, config.streams_per_player) == (16_384, 20, 8)
    assert (config.keep_alive, config.connected_window, config.absent_after) == (15, 60, 90)
    assert (config.lobby_idle, config.game_idle, config.finished_kept) == (3600, 7 * 86400, 30 * 86400)
    assert config.rematch_wait == 60


def test_flag_beats_environment_beats_default() -> None:
    environ = {"HEARTS_PORT": "9000", "HEARTS_HOST": "0.0.0.0", "OTHER": "x"}
    config = Config.load(["--port", "9001"], environ)
    assert (config.port, config.host, config.workers) == (9001, "0.0.0.0", 1)


def test_times_lists_and_spans_are_read() -> None:
    config = Config.load(
        ["--cors-origin", "https://a.example", "--cors-origin", "http://b:3000", "--bot-delay", "0-0.5"],
        {"HEARTS_TRUSTED_PROXIES": "10.0.0.0/8, ::1", "HEARTS_GAME_IDLE": "2d", "HEARTS_KEEP_ALIVE": "500ms"},
    )
    assert config.cors_origin == ("https://a.example", "http://b:3000")
    assert config.bot_delay == Span(0, 0.5)
    assert config.trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("::1"))
    assert (config.game_idle, config.keep_alive) == (2 * 86400, 0.5)


def test_the_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        Config.load(["--version"], {})
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("hearts-server ")


@pytest.mark.parametrize(
    ("argv", "environ", "says"),
    [
        (["--port", "x"], {}, "--port cannot be 'x': it must be a whole number."),
        (["--port", "70000"], {}, "--port cannot be '70000': it must be a whole number <= 65535."),
        ([], {"HEARTS_WORKERS": "0"}, "HEARTS_WORKERS cannot be '0'"),
        ([], {"HEARTS_LOG_FORMAT": "xml"}, "HEARTS_LOG_FORMAT cannot be 'xml': it must be json or text."),
        (["--game-idle", "1w"], {}, "--game-idle cannot be '1w': it must be a time like"),
        (["--game-idle", "-1"], {}, "--game-idle"),
        (["--keep-alive", "0"], {}, "--keep-alive cannot be '0': it must be longer than no time at all."),
        ([], {"HEARTS_FINISHED_KEPT": "0s"}, "HEARTS_FINISHED_KEPT cannot be '0s'"),
        (["--bot-delay", "3-1"], {}, "--bot-delay cannot be '3-1'"),
        (["--trusted-proxies", "10.0.0.1/8"], {}, "--trusted-proxies"),
        (["--cors-origin", "hearts.example"], {}, "--cors-origin"),
        (["--actions-per-second", "nan"], {}, "--actions-per-second"),
        (["--data-dir", ""], {}, "--data-dir"),
        (["--nope"], {}, "Unrecognized arguments: --nope"),
        (["--port"], {}, "--port"),
    ],
)
def test_a_wrong_setting_is_named_in_one_sentence(argv: list[str], environ: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Config.load(argv, environ)
    message = str(caught.value)
    assert message.startswith(says) or says in message
    assert "\n" not in message
    assert message.endswith(".")


def test_help_lists_every_setting_with_its_variable(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        Config.load(["--help"], {})
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    for field in msgspec.structs.fields(Config):
        assert "--" + field.name.replace("_", "-") in shown
        assert "HEARTS_" + field.name.upper() in shown
