! SPDX-License-Identifier: BSD-3-Clause
! Large specific procedures would have the types of the small ones.
module oriel_f08_large
end module oriel_f08_large
