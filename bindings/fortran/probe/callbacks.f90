! SPDX-License-Identifier: BSD-3-Clause
! A callback as programs have them: neither it nor its interface is BIND(C).
module probe_callbacks
    implicit none

    abstract interface
        subroutine callback_function(number, flag)
            integer :: number
            logical :: flag
        end subroutine callback_function
    end interface

contains

    subroutine double_it(number, flag)
        integer :: number
        logical :: flag
        if (flag) number = 2 * number
    end subroutine double_it
end module probe_callbacks
