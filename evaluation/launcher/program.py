"""The launcher: replays the plan of one kernel in a context of its own, and ends (rule T2).

It owns a plan, an image and shared buffers; no expected value is ever in its memory. Arguments: the number of the
socket that it inherited and, where there are hardware counters, the paths of the judge's library and of CUPTI.
"""

import os
import socket
import sys
import traceback
from pathlib import Path
from typing import NoReturn

from evaluation.adapters.gpu.counters import Counters as CuptiCounters
from evaluation.adapters.gpu.counters import CountersUnavailable
from evaluation.adapters.gpu.trusted import Trusted
from evaluation.core.launching.answers import OurFault
from evaluation.core.launching.frames import VERSION, Answer, Ask, BadFrame, Say
from evaluation.core.launching.port import Unavailable
from evaluation.launcher.channel import Channel
from evaluation.launcher.counting import Counters, Profiler
from evaluation.launcher.failures import OurFailure, StepFailed
from evaluation.launcher.machine import DEVICE, open_machine
from evaluation.launcher.responder import Responder


def main() -> NoReturn:
    """Serve one judge. Ends without the driver's farewells, which may wait for a kernel that never ends."""
    number, *places = sys.argv[1:]
    channel = Channel(socket.socket(fileno=int(number)))
    try:
        _serve(channel, tuple(Path(one) for one in places))
    finally:
        os._exit(0)


def _serve(channel: Channel, places: tuple[Path, ...]) -> None:
    try:
        responder = Responder(open_machine(), Counters(lambda: _profiler(places)), _own_kernels)
        channel.send(Answer(Say.READY, 0, (VERSION,)))
        while received := channel.receive():
            request, descriptor = received
            if request.ask is Ask.END:
                return
            if request.sequence == 1:
                fall_silent()
            try:
                answer = responder.take(request, descriptor)
            finally:
                if descriptor is not None:
                    os.close(descriptor)
            if answer is not None:
                channel.send(answer)
    except StepFailed as failure:
        channel.send(Answer(Say.FAILED, channel.sequence, (failure.step, failure.code)))
    except OurFailure as failure:
        channel.send(Answer(Say.OURS, channel.sequence, (failure.reason, failure.detail)))
    except BadFrame:
        channel.send(Answer(Say.OURS, channel.sequence, (OurFault.ORDER, 0)))
    except Exception:  # the edge of a process: a mistake of ours must not look like a kernel's
        traceback.print_exc()
        channel.send(Answer(Say.OURS, channel.sequence, (OurFault.PROGRAM, 0)))
        raise


def fall_silent() -> None:
    """What a kernel prints, the driver writes to these two (rule T5). Before there is a kernel our words may help."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (1, 2):
        os.dup2(nowhere, number)
    os.close(nowhere)


def _own_kernels(image: bytes) -> Trusted:
    return Trusted(image, device=DEVICE)


def _profiler(places: tuple[Path, ...]) -> Profiler:
    if not places:
        raise CountersUnavailable(Unavailable.NO_LIBRARY, "the launcher was started without one")
    library, cupti = places
    return CuptiCounters(library, cupti, DEVICE, stay_on=True)
