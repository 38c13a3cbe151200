# SPDX-License-Identifier: BSD-3-Clause
"""mpi.h declares what the table says: the type of every function, constant, handle and
status, and every value. A C11 and a C++17 compiler are the judges.
"""

import os
import unittest
from dataclasses import replace
from typing import Any

from c_claims import render
from common import Proof, changed

from codegen.model import Direction, Spec

STRICT = ("-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations")


class Signatures(Proof):
    """The claims hold, and each sort of claim fails when the table says otherwise."""

    def compile(self, spec: Spec, *options: str) -> tuple[str, ...]:
        """The command that compiles the claims as C11."""
        path = self.folder / "claims.c"
        path.write_text(render(spec), "utf-8")
        include = f"-I{self.generated}/bindings/c"
        return (os.environ["CC"], "-std=c11", include, *options, str(path))

    def refused(self, spec: Spec, because: str) -> None:
        """The claims of this table do not compile against mpi.h."""
        self.assert_refused(because, *self.compile(spec, "-fsyntax-only"))

    def test_header_is_the_table_in_c11(self) -> None:
        self.assert_runs(*self.compile(self.spec, *STRICT, "-o", "claims"))
        self.assert_runs(self.folder / "claims")

    @unittest.skipUnless(os.environ.get("CXX"), "there is no C++ compiler")
    def test_header_is_the_table_in_cpp17(self) -> None:
        path = self.folder / "claims.cpp"
        path.write_text(render(self.spec), "utf-8")
        include = f"-I{self.generated}/bindings/c"
        command = (os.environ["CXX"], "-std=c++17", include, *STRICT, str(path))
        self.assert_runs(*command, "-o", "claims")
        self.assert_runs(self.folder / "claims")

    def test_int_for_an_address_is_noticed(self) -> None:
        rank = self.spec.kinds["RANK"]
        faulty = changed(self.spec, "MPI_Put", "target_disp", kind=rank)
        self.refused(faulty, '"MPI_Put"')

    def test_large_function_that_takes_int_is_noticed(self) -> None:
        rank = self.spec.kinds["RANK"]
        faulty = changed(self.spec, "MPI_Put", "target_count", kind=rank)
        self.refused(faulty, '"PMPI_Put_c"')

    def test_missing_const_is_noticed(self) -> None:
        faulty = changed(self.spec, "MPI_Accumulate", "origin_addr", is_const=False)
        self.refused(faulty, '"MPI_Accumulate_c"')

    def test_handle_by_value_is_noticed(self) -> None:
        faulty = changed(self.spec, "MPI_Win_free", "win", direction=Direction.IN)
        self.refused(faulty, '"PMPI_Win_free"')

    def test_other_handle_is_noticed(self) -> None:
        info = self.spec.kinds["INFO"]
        faulty = changed(self.spec, "MPI_Barrier", "comm", kind=info)
        self.refused(faulty, '"MPI_Barrier"')

    def test_wrong_value_of_a_number_is_noticed(self) -> None:
        self.refused(self.with_constant("MPI_ERR_WIN", value=57), '"MPI_ERR_WIN"')

    def test_handle_of_another_type_is_noticed(self) -> None:
        self.refused(self.with_constant("MPI_SUM", kind="INFO"), '"MPI_SUM"')

    def test_wrong_value_of_a_handle_is_noticed(self) -> None:
        faulty = self.with_constant("MPI_COMM_SELF", value=259)
        self.assert_runs(*self.compile(faulty, "-o", "claims"))
        self.assert_refused("MPI_COMM_SELF is 258", self.folder / "claims")

    def with_constant(self, name: str, **fields: Any) -> Spec:
        """The table with a constant changed."""
        constant = replace(self.spec.constants[name], **fields)
        return replace(self.spec, constants={**self.spec.constants, name: constant})
