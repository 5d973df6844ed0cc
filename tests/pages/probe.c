/* SPDX-License-Identifier: MIT
 * The surroundings of the probes block in docs/gas.md: a laboratory.
 */
#include <carom/carom.h>
/* directives */

int main(void)
{
    carom_lab_desc made = carom_lab_desc_default();
    made.packing = 0.5;
    carom_lab *lab;
    carom_problem problem;
    if (carom_lab_create(&made, &lab, &problem) != CAROM_OK) {
        return 1;
    }
    /* the rest */
    const carom_status status = carom_probe_results(probe, &results);
    carom_probe_destroy(probe);
    carom_lab_destroy(lab);
    return status == CAROM_OK ? 0 : 1;
}
