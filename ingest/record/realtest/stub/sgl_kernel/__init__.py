"""Stands in for SGLang's compiled kernels where there are none.

Importing any name or submodule works; calling what it gives raises. On a CPU
with the torch attention backend no kernel is called. Only for trying tools on
a real scheduler and a real cache.
"""

import importlib.abc
import importlib.machinery
import sys
import types

__version__ = "0.0.0+standin"

# Modules whose absence SGLang handles by itself.
ABSENT = {__name__ + ".scalar_type"}


def stand_in(name):
    """A class for a capitalised name, else a function that refuses to run."""
    if name.rpartition(".")[2][:1].isupper():
        return type(name.rpartition(".")[2], (), {})

    def kernel(*args, **kwargs):
        raise NotImplementedError(name + " is a compiled kernel, and this is a stand-in")

    return kernel


class Module(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return stand_in(self.__name__ + "." + name)


class Importer(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path=None, target=None):
        if fullname.startswith(__name__ + ".") and fullname not in ABSENT:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.append(Importer())


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return stand_in(__name__ + "." + name)
