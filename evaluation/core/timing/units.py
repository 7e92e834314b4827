"""Units of the facts of a measurement; sizes are in bytes everywhere."""

NS = "ns"
MHZ = "MHz"
MILLIWATTS = "mW"
CELSIUS = "C"
