// SPDX-License-Identifier: BSD-3-Clause
// communicators_are_made_and_freed: dup, split, split_type, create and free
// (MPI-4.1 7.4.2, 7.4.3).
#include "collective_job.h"

static struct communicator *world(void)
{
    return process.world;
}

// A message of this communicator is not taken by another, and sums are its own.
static void check_works(struct communicator *comm)
{
    int sum = 0, own = comm->rank + 1;
    CHECK(oriel_allreduce(&own, &sum, 1, type_of(MPI_INT), op_of(MPI_SUM), comm) == 0);
    CHECK(sum == comm->size * (comm->size + 1) / 2);
    CHECK(handle_object(KIND_COMM, object_handle(comm)) == comm);
}

static void world_and_self_are_what_they_are(void)
{
    CHECK(handle_object(KIND_COMM, (uintptr_t)MPI_COMM_WORLD) == world());
    CHECK(handle_object(KIND_COMM, (uintptr_t)MPI_COMM_SELF) == process.self);
    CHECK(world()->size == process.boot->size && world()->rank == process.rank);
    CHECK(process.self->size == 1 && process.self->rank == 0);
    CHECK(comm_job_rank(process.self, 0) == process.rank);
    char name[MPI_MAX_OBJECT_NAME];
    int length, result;
    CHECK(oriel_comm_get_name(world(), name, &length) == 0);
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
    CHECK(oriel_comm_compare(world(), process.self, &result) == 0);
    CHECK(result == (world()->size == 1 ? MPI_CONGRUENT : MPI_UNEQUAL));
    CHECK(oriel_comm_compare(world(), world(), &result) == 0 && result == MPI_IDENT);
    check_works(world());
    check_works(process.self);
}

static int copy_result;

static int copy_value(MPI_Comm comm, int keyval, void *extra_state, void *value,
                      void *copied, int *flag)
{
    (void)comm, (void)keyval, (void)extra_state;
    *(void **)copied = value;
    *flag = 1;
    return copy_result;
}

static int dropped;

static int drop_value(MPI_Comm comm, int keyval, void *value, void *extra_state)
{
    (void)comm, (void)keyval, (void)value, (void)extra_state;
    dropped++;
    return 0;
}

static void a_duplicate_has_handler_and_attributes(void)
{
    struct communicator *copy;
    int keyval, flag, result;
    void *value;
    CHECK(keyval_make(KIND_COMM, (generic_function *)copy_value,
                      (generic_function *)drop_value, NULL, &keyval) == 0);
    CHECK(attribute_set(KIND_COMM, world(), keyval, &keyval) == 0);
    CHECK(oriel_comm_set_errhandler(world(), &errors_return) == 0);
    CHECK(oriel_comm_dup(world(), &copy) == 0);
    CHECK(copy->object.errhandler == &errors_return && copy->name == NULL);
    CHECK(attribute_get(KIND_COMM, copy, keyval, &value, &flag) == 0);
    CHECK(flag && value == &keyval);
    CHECK(oriel_comm_compare(world(), copy, &result) == 0 && result == MPI_CONGRUENT);
    CHECK(copy->context != world()->context);
    check_works(copy);
    uintptr_t handle = object_handle(copy);
    CHECK(oriel_comm_free(copy) == 0 && dropped == 1);
    CHECK(handle_object(KIND_COMM, handle) == NULL);
    copy_result = MPI_ERR_IO;
    CHECK(oriel_comm_dup(world(), &copy) == MPI_ERR_IO && dropped == 1);
    CHECK(attribute_delete(KIND_COMM, world(), keyval) == 0);
    CHECK(keyval_free(KIND_COMM, &keyval) == 0);
}

static void a_split_orders_by_key_then_rank(void)
{
    struct communicator *part = NULL;
    int color = world()->rank % 2, key = world()->rank / 2 % 2 ? -1 : 1;
    CHECK(oriel_comm_split(world(), color, key, &part) == 0);
    int before = 0, members = 0;
    for (int rank = 0; rank < world()->size; rank++) {
        if (rank % 2 != color)
            continue;
        int other_key = rank / 2 % 2 ? -1 : 1;
        members++;
        before += other_key < key || (other_key == key && rank < world()->rank);
    }
    CHECK(part->size == members && part->rank == before);
    check_works(part);
    CHECK(oriel_comm_free(part) == 0);
}

static void who_has_no_color_gets_nothing(void)
{
    struct communicator *part = NULL;
    int color = world()->rank == 0 ? 0 : MPI_UNDEFINED;
    CHECK(oriel_comm_split(world(), color, 0, &part) == 0);
    CHECK((part != NULL) == (world()->rank == 0));
    if (part != NULL) {
        CHECK(part->size == 1);
        CHECK(oriel_comm_free(part) == 0);
    }
}

static void a_split_by_type_finds_the_node(void)
{
    struct communicator *node, *none = NULL;
    struct info *info;
    CHECK(oriel_comm_split_type(world(), MPI_COMM_TYPE_SHARED, 0, NULL, &node) == 0);
    CHECK(node->size == process.boot->node_size);
    CHECK(node->rank == process.boot->node_rank);
    check_works(node);
    CHECK(oriel_comm_free(node) == 0);
    CHECK(oriel_comm_split_type(world(), MPI_UNDEFINED, 0, NULL, &none) == 0);
    CHECK(oriel_comm_split_type(world(), MPI_COMM_TYPE_HW_UNGUIDED, 0, NULL, &node) ==
          0);
    CHECK((node != NULL) == (process.boot->node_count > 1));
    if (node != NULL)
        CHECK(node->size == process.boot->node_size && oriel_comm_free(node) == 0);
    CHECK(oriel_comm_split_type(world(), MPI_COMM_TYPE_HW_GUIDED, 0, NULL, &none) == 0);
    CHECK(none == NULL);
    CHECK(oriel_info_create(&info) == 0);
    CHECK(oriel_info_set(info, "mpi_hw_resource_type", "mpi_shared_memory") == 0);
    CHECK(oriel_comm_split_type(world(), MPI_COMM_TYPE_HW_GUIDED, 0, info, &node) == 0);
    CHECK(node->size == process.boot->node_size);
    CHECK(oriel_comm_free(node) == 0);
    CHECK(oriel_info_free(info) == 0);
}

static void groups_make_communicators(void)
{
    struct group *all, *last;
    struct communicator *made = NULL, *self_made = NULL;
    int first = 0;
    CHECK(oriel_comm_group(world(), &all) == 0);
    CHECK(oriel_group_excl(all, 1, &first, &last) == 0);
    CHECK(oriel_comm_create(world(), last, &made) == 0);
    CHECK((made != NULL) == (world()->rank > 0));
    if (made != NULL) {
        CHECK(made->rank == world()->rank - 1 && made->size == world()->size - 1);
        check_works(made);
        CHECK(oriel_comm_free(made) == 0);
    }
    CHECK(oriel_comm_create(world(), process.self->group, &made) == 0); // disjoint
    CHECK(made->size == 1);
    if (world()->size > 1)
        CHECK(oriel_comm_create(made, all, &self_made) == MPI_ERR_GROUP);
    CHECK(oriel_comm_free(made) == 0);
    CHECK(oriel_group_free(all) == 0);
    CHECK(oriel_group_free(last) == 0);
}

// A thousand, each freed before the next is made: their memory in the segment, of which
// there is 1 MiB for each process, comes back.
static void freed_communicators_leave_nothing(void)
{
    for (int i = 0; i < 1000; i++) {
        struct communicator *copy;
        CHECK(oriel_comm_dup(world(), &copy) == 0);
        if (i % 100 == 0)
            check_works(copy);
        CHECK(oriel_comm_free(copy) == 0);
    }
}

// Communicators that are made by one call have one, since no process is in two of them.
static void contexts_differ(void)
{
    enum { COPIES = 3 };
    struct communicator *copies[COPIES];
    uint64_t own[COPIES + 1], all[(COPIES + 1) * JOB_MAX];
    for (int i = 0; i < COPIES; i++) {
        CHECK(oriel_comm_split(world(), world()->rank % 2, 0, &copies[i]) == 0);
        own[i] = copies[i]->context;
    }
    own[COPIES] = process.self->context;
    CHECK(collective_gather_all(world(), own, sizeof own, all) == 0);
    for (int i = 0; i < (COPIES + 1) * world()->size; i++)
        for (int j = 0; j < i; j++) {
            int one = i % (COPIES + 1), other = j % (COPIES + 1);
            bool is_same = one == other && one < COPIES;
            CHECK((all[i] == all[j]) == is_same);
            CHECK(all[i] != world()->context);
        }
    for (int i = 0; i < COPIES; i++)
        CHECK(oriel_comm_free(copies[i]) == 0);
}

static void all_claims_hold(void)
{
    world_and_self_are_what_they_are();
    a_duplicate_has_handler_and_attributes();
    a_split_orders_by_key_then_rank();
    who_has_no_color_gets_nothing();
    a_split_by_type_finds_the_node();
    groups_make_communicators();
    freed_communicators_leave_nothing();
    contexts_differ();
}

int main(void)
{
    return run_all_jobs(all_claims_hold);
}
