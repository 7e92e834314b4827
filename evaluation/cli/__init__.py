"""The command line of the judge. It knows no Django and needs no server."""
