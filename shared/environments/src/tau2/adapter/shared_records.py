"""A database whose records all attempts share until one of them takes a record: then it gets a copy of its own.

Reading a benchmark's database anew for every attempt and every verdict, and hashing all of it, takes most of an
attempt's time. Both are done here once per process: a fresh database is a few dictionaries, and its hash is the
benchmark's own, made from texts that are kept for untouched records. Nothing here depends on a domain.
"""

import hashlib
import json


def written(value):
    """JSON as the benchmark writes what it hashes."""
    return json.dumps(value, sort_keys=True, default=str)


class Table:
    """One table as it is read: its records by key, and how each is written."""

    def __init__(self, records):
        self.records = records
        self.lines = {key: self.line(key, record) for key, record in records.items()}

    @staticmethod
    def line(key, record):
        return f"{written(key)}: {written(record.model_dump())}"


class Records(dict):
    """The records of one attempt. Whoever takes one by its key may change it.

    Going over all of them shows records that are still shared: the benchmark's tools only read then.
    """

    def __init__(self, table):
        super().__init__(table.records)
        self.table, self.own = table, set()

    def __getitem__(self, key):
        record = super().__getitem__(key)
        if key not in self.own:
            record = record.model_copy(deep=True)
            self[key] = record
        return record

    def __setitem__(self, key, record):
        super().__setitem__(key, record)
        self.own.add(key)

    def get(self, key, default=None):
        return self[key] if key in self else default

    def written(self):
        """As JSON, keys in order; an untouched record is written as it was read."""
        lines, own = self.table.lines, self.own
        texts = (Table.line(key, self[key]) if key in own else lines[key] for key in sorted(self))
        return "{" + ", ".join(texts) + "}"


class Pristine:
    """A database as it is read; every attempt gets one that looks like it."""

    def __init__(self, database):
        self.kind = type(database)
        self.tables = {name: Table(getattr(database, name)) for name in self.kind.model_fields}

    def fresh(self):
        return self.kind.model_construct(**{name: Records(table) for name, table in self.tables.items()})


def database_hash(database):
    """The benchmark's own hash of a database, fresh or not."""
    tables = {name: getattr(database, name) for name in type(database).model_fields}
    texts = (f"{written(name)}: {text_of(table)}" for name, table in sorted(tables.items()))
    return hashlib.sha256(("{" + ", ".join(texts) + "}").encode()).hexdigest()


def text_of(table):
    if isinstance(table, Records):
        return table.written()
    return written({key: record.model_dump() for key, record in table.items()})
