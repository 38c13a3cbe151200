# SPDX-License-Identifier: BSD-3-Clause
"""The recipe for Spack fits the build: it is read with a Spack that is played, and takes
the sources, options and variants that there are."""

from __future__ import annotations

import importlib.util
import re
import sys
import unittest
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

TOP = Path(__file__).resolve().parents[2]
RECIPE = TOP / "docs/spack/spack_repo/oriel/packages/oriel/package.py"


class PlayedPackage:
    """What the recipe's class has of Spack's CMakePackage."""

    prefix = SimpleNamespace(bin="/prefix/bin")

    def __init__(self) -> None:
        command = SimpleNamespace(path="/usr/bin/python3")
        libfabric = SimpleNamespace(prefix=SimpleNamespace(lib="/fabric/lib"))
        self.spec: Any = {
            "python": SimpleNamespace(command=command),
            "libfabric": libfabric,
        }
        self.variants_used: list[str] = []

    def define_from_variant(self, option: str, variant: str) -> str:
        self.variants_used.append(variant)
        return f"-D{option}:BOOL=ON"

    def define(self, option: str, value: str) -> str:
        return f"-D{option}:STRING={value}"


class PlayedSpack(ModuleType):
    """Module spack.package, which notes what a recipe declares."""

    def __init__(self) -> None:
        super().__init__("spack.package")
        self.declared: list[tuple[str, str]] = []

    def __getattr__(self, directive: str) -> Any:
        if directive.startswith("__"):
            raise AttributeError(directive)
        return lambda name, **_: self.declared.append((directive, name))


def read_recipe() -> tuple[Any, list[tuple[str, str]]]:
    """An object of the recipe's class, and the directives in it."""
    played = PlayedSpack()
    names: tuple[str, ...] = "spack", "spack_repo", "spack_repo.builtin"
    names += (
        "spack_repo.builtin.build_systems",
        "spack_repo.builtin.build_systems.cmake",
    )
    modules: dict[str, ModuleType] = {name: ModuleType(name) for name in names}
    setattr(modules[names[-1]], "CMakePackage", PlayedPackage)
    with patch.dict(sys.modules, {**modules, "spack.package": played}):
        spec = importlib.util.spec_from_file_location("recipe", RECIPE)
        assert spec and spec.loader
        recipe = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(recipe)
    return recipe.Oriel(), played.declared


class Recipe(unittest.TestCase):
    def test_the_sources_are_those_of_this_checkout(self) -> None:
        package, _ = read_recipe()
        self.assertEqual(package.git, TOP.as_uri())

    def test_options_and_variants_are_there(self) -> None:
        package, declared = read_recipe()
        cmake = "\n".join(
            path.read_text("utf-8")
            for path in (TOP / "CMakeLists.txt", *(TOP / "cmake").glob("*.cmake"))
        )
        for argument in package.cmake_args():
            option = re.match(r"-D(\w+):", argument)
            self.assertTrue(option, argument)
            known = rf"(option\(|set\(){option[1] if option else ''} "
            self.assertRegex(cmake, known)
        variants = [name for directive, name in declared if directive == "variant"]
        self.assertEqual(package.variants_used, variants)
        self.assertIn(("provides", "mpi@:5.0"), declared)

    def test_a_library_that_is_loaded_at_run_time_is_found(self) -> None:
        package, _ = read_recipe()
        said: list[tuple[str, ...]] = []
        note = SimpleNamespace(
            prepend_path=lambda *words: said.append(words),
            set=lambda *words: said.append(words),
        )
        package.setup_run_environment(note)
        self.assertIn(("LD_LIBRARY_PATH", "/fabric/lib"), said)
        self.assertIn(("MPIFORT", "/prefix/bin/mpifort"), said)


if __name__ == "__main__":
    unittest.main()
