# SPDX-License-Identifier: BSD-3-Clause
"""Makes every binding of MPI from one table of its procedures, spec/.

load -> check -> expand -> symbol plan -> templates -> write if changed. Nothing here
knows a procedure, a kind or a language by name: traits of kinds, properties of records
and the folders below bindings/ decide.
"""
