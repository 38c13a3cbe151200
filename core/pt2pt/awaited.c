// SPDX-License-Identifier: BSD-3-Clause
// What waits for messages depend on. A send that asks for an answer depends on the receipt
// of its message, and a receive that is posted on the call, or the schedule, that sends it.
// Messages that have been matched come by themselves.
#include "pt2pt/requests.h"
#include "pt2pt/transfer.h"

static struct awaited from_sender(const struct transfer_parameters *parameters,
                                  int job_rank)
{
    bool is_of_schedule = parameters->channel >= CHANNEL_SCHEDULE;
    return (struct awaited){.context = is_of_schedule ? parameters->comm->context : 0,
                            .rank = job_rank,
                            .number = is_of_schedule ? (uint32_t)parameters->tag : 0,
                            .other = parameters->channel == CHANNEL_GROUP,
                            .kind = is_of_schedule ? AWAITED_STEPS : AWAITED_CALL};
}

static void say_message(struct explanation *explanation, const char *verb,
                        const struct transfer_parameters *parameters)
{
    char name[COMMUNICATOR_TEXT_BYTES], tag[32] = "any tag";
    if (parameters->tag != MPI_ANY_TAG)
        snprintf(tag, sizeof tag, "tag %d", parameters->tag);
    awaited_say(explanation, "to %s a message with %s on %s", verb, tag,
                communicator_text(parameters->comm, name));
}

// A process does not send to itself while its only thread that may is here.
static void explain_any_source(const struct transfer_parameters *parameters,
                               struct explanation *explanation)
{
    const struct communicator *comm = parameters->comm;
    bool has_added = false;
    for (int rank = 0; rank < comm->peers->size; rank++) {
        int job_rank = comm_job_rank(comm, rank);
        struct awaited awaited = from_sender(parameters, job_rank);
        if (job_rank == process.boot->rank &&
            process.thread_level < MPI_THREAD_MULTIPLE)
            continue;
        if (has_added)
            awaited_or(explanation, awaited);
        else
            awaited_add(explanation, awaited);
        has_added = true;
    }
}

void parameters_explain(const struct transfer_parameters *parameters,
                        struct explanation *explanation)
{
    say_message(explanation, "send", parameters);
    if (parameters->rank == MPI_ANY_SOURCE)
        explain_any_source(parameters, explanation);
    else
        awaited_add(
            explanation,
            from_sender(parameters, comm_job_rank(parameters->comm, parameters->rank)));
}

void transfer_explain(const struct transfer *transfer, struct explanation *explanation)
{
    const struct transfer_parameters *parameters = &transfer->parameters;
    if (request_is_complete(&transfer->request))
        return;
    if (!parameters->is_send) {
        if (posted_has(transfer))
            parameters_explain(parameters, explanation);
        return;
    }
    say_message(explanation, "receive", parameters);
    awaited_add(explanation, (struct awaited){.context = parameters->comm->context,
                                              .rank = transfer->peer,
                                              .number = transfer->id,
                                              .other = process.boot->rank,
                                              .kind = AWAITED_RECEIPT});
    explanation->is_open |= transfer->id == 0;
}

void transfer_explain_request(const struct request *request,
                              struct explanation *explanation)
{
    transfer_explain((const struct transfer *)request, explanation);
}

// Of a message that has been matched nothing is awaited any more.
static void explain_receipt(const struct awaited *awaited,
                            struct explanation *explanation)
{
    const struct unexpected *unexpected =
        unexpected_find_of(awaited->other, awaited->context, awaited->number);
    if (unexpected == NULL)
        return;
    const struct envelope *envelope = &unexpected->envelope;
    bool is_of_schedule = envelope->channel >= CHANNEL_SCHEDULE;
    awaited_add(
        explanation,
        (struct awaited){.context = is_of_schedule ? envelope->context : 0,
                         .rank = process.boot->rank,
                         .number = is_of_schedule ? (uint32_t)envelope->tag : 0,
                         .other = envelope->channel == CHANNEL_GROUP,
                         .kind = is_of_schedule ? AWAITED_STEPS : AWAITED_CALL});
}

// Of alternatives, one that comes by itself is enough.
void request_explain(const struct request *request, struct explanation *explanation)
{
    int before = explanation->count;
    if (request->kind->explain == NULL)
        explanation->is_open = true;
    else if (!request_is_complete(request))
        request->kind->explain(request, explanation);
    if (explanation->is_any && explanation->count == before)
        explanation->is_open = true;
}

void awaited_messages_start(void)
{
    awaited_register(AWAITED_RECEIPT, explain_receipt);
}
