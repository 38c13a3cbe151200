# SPDX-License-Identifier: BSD-3-Clause
"""As in Oriel's own bindings."""

from bindings.f08.language import LANGUAGE

__all__ = ["LANGUAGE"]
