# SPDX-License-Identifier: BSD-3-Clause
"""Makes every binding of MPI from one table of its procedures, spec/.

load -> check -> expand -> symbol plan -> templates -> write if changed. Nothing here
knows a procedure by name: kinds of arguments and properties of records decide.
"""
