"""The members of an upload that are done, by a hash of their names: what strangers call a file may hold a secret."""

import hashlib
from collections.abc import Collection, Iterator

from portal.uploads.models import ImportedMember, Submission


class StoredMembers(Collection[str]):
    """Read once, when it is made. Iterating gives keys, since the names are not known."""

    def __init__(self, submission: Submission) -> None:
        found = ImportedMember.objects.filter(submission=submission)
        self._keys = frozenset(found.values_list("member", flat=True))

    @staticmethod
    def key(member: str) -> str:
        return hashlib.sha256(member.encode()).hexdigest()

    def __contains__(self, member: object) -> bool:
        return isinstance(member, str) and self.key(member) in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)
