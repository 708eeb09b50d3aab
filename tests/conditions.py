"""Waiting for what nobody tells us."""

import asyncio
from collections.abc import Callable


async def until(true: Callable[[], bool], seconds: float = 30.0) -> None:
    """Return once it is true, looked at often; raises TimeoutError when it never is."""
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - what changes it is another process
            await asyncio.sleep(0.01)
