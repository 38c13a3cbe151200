// SPDX-License-Identifier: BSD-3-Clause
// The providers that libfabric offers on this machine. It is loaded as the library does.
#include "info.h"
#include "net/network.h"

#include <string.h>

static bool is_repeated(const struct fi_info *offers, const struct fi_info *one)
{
    for (; offers != one; offers = offers->next)
        if (strcmp(offers->fabric_attr->prov_name, one->fabric_attr->prov_name) == 0)
            return true;
    return false;
}

static void report_provider(struct report *report, const struct fi_info *offers,
                            const struct fi_info *one)
{
    char domains[256] = "";
    for (const struct fi_info *info = one; info; info = info->next) {
        const char *domain = info->domain_attr->name;
        size_t used = strlen(domains);
        if (strcmp(info->fabric_attr->prov_name, one->fabric_attr->prov_name) == 0 &&
            domain && !strstr(domains, domain))
            snprintf(domains + used, sizeof domains - used, "%s%s",
                     used > 0 ? ", " : "", domain);
    }
    if (!is_repeated(offers, one))
        report_value(report, one->fabric_attr->prov_name, "%s", domains);
}

void report_providers(struct report *report)
{
    struct fi_info *offers = NULL;
    int error_class;
    report_open(report, "providers");
    if (library_check() != 0)
        report_value(report, "none", "%s", error_detail(&error_class));
    else if (fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, NULL, &offers) != 0)
        report_value(report, "none", "libfabric offers none");
    for (const struct fi_info *info = offers; info; info = info->next)
        report_provider(report, offers, info);
    if (offers)
        fi_freeinfo(offers);
    report_close(report);
}
