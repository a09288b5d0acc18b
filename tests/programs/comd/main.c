/* The forms of CoMD: structs of structs of arrays, linked cells, vectors of three numbers as a type, a force loop over pairs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include "types.h"

static void zeroReal3(real3 a)
{
    a[0] = 0.0;
    a[1] = 0.0;
    a[2] = 0.0;
}

static void advanceVelocity(SimFlat *s, int nBoxes, real_t dt)
{
    for (int iBox = 0; iBox < nBoxes; iBox++)
        for (int iOff = MAXATOMS * iBox, ii = 0; ii < s->boxes->nAtoms[iBox]; ii++, iOff++) {
            s->atoms->p[iOff][0] += dt * s->atoms->f[iOff][0];
            s->atoms->p[iOff][1] += dt * s->atoms->f[iOff][1];
            s->atoms->p[iOff][2] += dt * s->atoms->f[iOff][2];
        }
}

static void advancePosition(SimFlat *s, int nBoxes, real_t dt)
{
    for (int iBox = 0; iBox < nBoxes; iBox++)
        for (int iOff = MAXATOMS * iBox, ii = 0; ii < s->boxes->nAtoms[iBox]; ii++, iOff++) {
            int iSpecies = s->atoms->iSpecies[iOff];
            real_t invMass = 1.0 / s->species[iSpecies].mass;
            for (int m = 0; m < 3; m++)
                s->atoms->r[iOff][m] += dt * s->atoms->p[iOff][m] * invMass;
        }
}

static void ljForce(SimFlat *s)
{
    real_t sigma = 2.315, epsilon = 0.167, rCut = 5.7875, rCut2 = rCut * rCut, ePot = 0.0;
    real_t s6 = sigma * sigma * sigma * sigma * sigma * sigma;
    for (int ii = 0; ii < s->boxes->nLocalBoxes * MAXATOMS; ii++) {
        zeroReal3(s->atoms->f[ii]);
        s->atoms->U[ii] = 0.;
    }
    for (int iBox = 0; iBox < s->boxes->nLocalBoxes; iBox++) {
        int nIBox = s->boxes->nAtoms[iBox];
        for (int jBox = 0; jBox < s->boxes->nLocalBoxes; jBox++) {
            int nJBox = s->boxes->nAtoms[jBox];
            for (int iOff = MAXATOMS * iBox; iOff < iBox * MAXATOMS + nIBox; iOff++)
                for (int jOff = jBox * MAXATOMS; jOff < jBox * MAXATOMS + nJBox; jOff++) {
                    real3 dr;
                    real_t r2 = 0.0;
                    for (int m = 0; m < 3; m++) {
                        dr[m] = s->atoms->r[iOff][m] - s->atoms->r[jOff][m];
                        r2 += dr[m] * dr[m];
                    }
                    if (r2 <= rCut2 && r2 > 0.0) {
                        r2 = 1.0 / r2;
                        real_t r6 = s6 * (r2 * r2 * r2), eLocal = r6 * (r6 - 1.0);
                        s->atoms->U[iOff] += 0.5 * eLocal;
                        ePot += 0.5 * eLocal;
                        real_t fr = -4.0 * epsilon * r6 * r2 * (12.0 * r6 - 6.0);
                        for (int m = 0; m < 3; m++)
                            s->atoms->f[iOff][m] -= dr[m] * fr;
                    }
                }
        }
    }
    s->ePotential = ePot * 4.0 * epsilon;
}

static void kineticEnergy(SimFlat *s)
{
    real_t e = 0.;
    for (int iBox = 0; iBox < s->boxes->nLocalBoxes; iBox++)
        for (int iOff = MAXATOMS * iBox, ii = 0; ii < s->boxes->nAtoms[iBox]; ii++, iOff++) {
            real_t invMass = 0.5 / s->species[s->atoms->iSpecies[iOff]].mass, (*p)[3] = s->atoms->p;
            e += (p[iOff][0] * p[iOff][0] + p[iOff][1] * p[iOff][1] + p[iOff][2] * p[iOff][2]) * invMass;
        }
    s->eKinetic = e;
}

int main(void)
{
    enum { BOXES = 6, TOTAL = BOXES * MAXATOMS };
    static real3 r[TOTAL], p[TOTAL], f[TOTAL];
    static real_t U[TOTAL];
    static int kinds[TOTAL], counts[BOXES];
    SpeciesData species[2] = {{63.55, 29, "Cu"}, {58.7, 28, "Ni"}};
    Atoms atoms = {0, r, p, f, U, kinds};
    LinkCell cells = {{6, 1, 1}, BOXES, counts};
    SimFlat *s = malloc(sizeof(SimFlat));
    *s = (SimFlat){&cells, &atoms, species, 0, 0};
    for (int i = 0; i < BOXES; i++) {
        counts[i] = 10 + i % 3;
        for (int k = 0; k < counts[i]; k++) {
            int n = i * MAXATOMS + k;
            r[n][0] = i * 5.1 + k % 2 * 2.6, r[n][1] = k / 2 % 3 * 2.55, r[n][2] = k / 6 * 2.57;
            p[n][0] = 0.01 * (k - 5), p[n][1] = 0.02 * (i - 3), p[n][2] = 0;
            kinds[n] = n & 1;
            atoms.nTotal++;
        }
    }
    ljForce(s);
    kineticEnergy(s);
    double start = s->ePotential + s->eKinetic;
    printf("Initial energy : %.12f, atom count : %d\n", start, atoms.nTotal);
    for (int step = 0; step < 5; step++) {
        advanceVelocity(s, cells.nLocalBoxes, 0.05);
        advancePosition(s, cells.nLocalBoxes, 0.1);
        ljForce(s);
        advanceVelocity(s, cells.nLocalBoxes, 0.05);
    }
    kineticEnergy(s);
    double end = s->ePotential + s->eKinetic;
    printf("Final energy : %.12f\n%s\n", end, fabs(end - start) < 1 ? "VERIFICATION SUCCESSFUL" : "FAILED");
    free(s);
    return 0;
}
