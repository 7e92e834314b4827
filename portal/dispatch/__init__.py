"""Makes attempts and sends them: late, by fair share and priority, at most two messages a worker out in each queue."""

from portal.dispatch.broker import Broker, CeleryBroker
from portal.dispatch.desk import Desk
from portal.dispatch.sending import dispatch, send_next
from portal.dispatch.sweeping import Swept, sweep

__all__ = ["Broker", "CeleryBroker", "Desk", "Swept", "dispatch", "send_next", "sweep"]
