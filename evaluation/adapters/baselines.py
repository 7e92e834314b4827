"""Finds what the vendor's calls are expected to take on a device: ``evaluation/baselines/<product>.toml``."""

from importlib.resources import files
from importlib.resources.abc import Traversable

from evaluation.adapters.text_files import text_of
from evaluation.core.errors import InvalidInput
from evaluation.core.timing.expectation import DeviceExpectations
from evaluation.core.timing.expectation_file import load_expectations


def expectations(product: str, folder: Traversable | None = None) -> DeviceExpectations | None:
    """Load the expectations of a product; None where nobody has measured one yet.

    Raise InvalidInput for a file that is not right. ``product`` names a device table; it is looked up among the files
    of the folder and never joined to a path.
    """
    where = folder if folder is not None else files("evaluation").joinpath("baselines")
    file = next((one for one in where.iterdir() if one.name == f"{product}.toml"), None)
    if file is None:
        return None
    found = load_expectations(text_of(file), where=file.name)
    if found.product != product:
        rule = f"states {found.product}; a file is called after what it states"
        raise InvalidInput(where=file.name, key="product", rule=rule)
    return found
