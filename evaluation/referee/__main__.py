"""The referee's process: started by adapters/gpu/referee_client.py, with a socket as descriptor 3.

Descriptor 4 is the lock on the GPU, where there is one. This process holds it while it lives; no launcher gets it.
"""

import contextlib
import os
import signal
import socket
import sys

from evaluation.adapters.gpu.driver_calls import CudaError
from evaluation.adapters.gpu.referee_channel import Channel, ChannelClosed, ChannelLate
from evaluation.adapters.referee.serving import (
    FAILED,
    SEND_SECONDS,
    WELL,
    Server,
    failed,
    watch_for_orphanhood,
)
from evaluation.adapters.referee.workshop import Workshop
from evaluation.adapters.trusted_process import KEPT, SOCKET
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.referee_words import Reply, Settings

_SETTINGS_SECONDS = 60.0
_ORPHANED = 3


def main() -> int:
    """Serve until the client hangs up or SIGTERM says so; the kernel at hand is finished first."""
    with contextlib.suppress(OSError):  # nothing was given
        os.set_inheritable(KEPT, False)  # noqa: FBT003  # the function takes it so
    link = socket.socket(fileno=SOCKET)
    watch_for_orphanhood(link, lambda: os._exit(_ORPHANED))
    signal.signal(signal.SIGTERM, lambda *_: link.shutdown(socket.SHUT_RD))
    channel = Channel(link)
    try:
        settings = channel.receive(Settings, seconds=_SETTINGS_SECONDS)
    except (ChannelClosed, ChannelLate):
        return WELL
    try:
        shop = Workshop(settings)
    except (ToolFailure, CudaError) as failure:
        with contextlib.suppress(ChannelClosed, ChannelLate):
            channel.send(Reply(failed=failed(failure)), seconds=SEND_SECONDS)
        return FAILED
    with contextlib.closing(shop):
        return Server(channel, shop).serve()


if __name__ == "__main__":
    sys.exit(main())
