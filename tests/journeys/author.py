"""Somebody who hands kernels in, one after the other, and remembers each of them."""

import hashlib
from dataclasses import dataclass, field

from kept_promises import HandedIn
from run_steps import Kernel
from running_product import Product
from scripted_kernels import Case, source
from site_visitor import File, Program, Visitor


@dataclass
class Author:
    """``sources`` has the name of the case of everything that was handed in."""

    program: Program
    sources: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, product: Product, address: str = "ada@example.org") -> "Author":
        visitor = Visitor(product.address)
        visitor.sign_up(address)
        return cls(Program(product.address, visitor.token()))

    def send(self, case: Case) -> Kernel:
        """Hand in another kernel of this case."""
        text = source(case.name, f"number {len(self.sources)}")
        self.sources[text] = case.name
        uid = self.program.submit(File("kernel.cu", text.encode()))
        return Kernel(uid, hashlib.sha256(text.encode()).hexdigest())

    def confirm(self, kernel: Kernel, case: Case, visibility: str = "public") -> None:
        """As soon as it can be confirmed."""
        self.program.wait_for(kernel.submission, "understood")
        self.program.confirm(
            kernel.submission,
            model="Demo 1",
            problem=case.problem,
            target="hopper",
            visibility=visibility,
        )

    @property
    def handed_in(self) -> HandedIn:
        return HandedIn.of(self.sources)
