/* The forms of LULESH in C: a domain of pointers, nodes of elements through lists, sums in small local arrays, limits by cube roots. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double Real_t;
typedef int Index_t;
typedef struct {
    Real_t *m_x, *m_y, *m_z, *m_fx, *m_e, *m_p, *m_q, *m_v, *m_ss;
    Index_t *m_nodelist;
    Index_t m_numElem, m_numNode, m_sizeX;
    Real_t m_dtcourant;
} Domain;

static inline Real_t CBRT(Real_t v) { return cbrt(v); }
static inline Real_t FMAX(Real_t a, Real_t b) { return a > b ? a : b; }

static Real_t *AllocateReal(size_t size)
{
    Real_t *retVal = (Real_t *)malloc(sizeof(Real_t) * size);
    if (!retVal)
        exit(1);
    return retVal;
}

static Real_t AreaOfPair(const Real_t x[8], const Real_t y[8])
{
    Real_t area = 0;
    for (Index_t i = 0; i < 8; ++i)
        area += x[i] * y[(i + 1) & 7] - y[i] * x[(i + 1) & 7];
    return area * 0.5;
}

static void CalcElemVolumes(Domain *domain)
{
    Index_t numElem = domain->m_numElem;
    for (Index_t k = 0; k < numElem; ++k) {
        Real_t x_local[8], y_local[8];
        const Index_t *elemToNode = &domain->m_nodelist[8 * k];
        for (Index_t lnode = 0; lnode < 8; ++lnode) {
            Index_t gnode = elemToNode[lnode];
            x_local[lnode] = domain->m_x[gnode];
            y_local[lnode] = domain->m_y[gnode];
        }
        domain->m_v[k] = 1.0 + fabs(AreaOfPair(x_local, y_local));
    }
}

static void CalcPressureForElems(Real_t *p_new, Real_t *bvc, Real_t *pbvc, Real_t *e_old, Real_t *compression, Real_t *vnewc, Real_t pmin,
                                 Real_t p_cut, Real_t eosvmax, Index_t length)
{
    for (Index_t i = 0; i < length; ++i) {
        Real_t c1s = 2.0 / 3.0;
        bvc[i] = c1s * (compression[i] + 1.);
        pbvc[i] = c1s;
    }
    for (Index_t i = 0; i < length; ++i) {
        p_new[i] = bvc[i] * e_old[i];
        if (fabs(p_new[i]) < p_cut)
            p_new[i] = 0.0;
        if (vnewc[i] >= eosvmax)
            p_new[i] = 0.0;
        if (p_new[i] < pmin)
            p_new[i] = pmin;
    }
}

static void CalcSoundSpeed(Domain *domain, const Real_t *pbvc, const Real_t *bvc)
{
    for (Index_t i = 0; i < domain->m_numElem; ++i) {
        Real_t ssTmp = (pbvc[i] * domain->m_e[i] + domain->m_v[i] * domain->m_v[i] * bvc[i] * domain->m_p[i]) / 1.0;
        if (ssTmp <= 1.111111e-36)
            ssTmp = 0.333333e-18;
        else
            ssTmp = sqrt(ssTmp);
        domain->m_ss[i] = ssTmp;
    }
}

static void CalcCourantConstraint(Domain *domain)
{
    Real_t dtcourant = 1.0e+20;
    for (Index_t i = 0; i < domain->m_numElem; ++i) {
        Real_t dtf = CBRT(domain->m_v[i]) / FMAX(domain->m_ss[i], 1e-12);
        if (dtf < dtcourant)
            dtcourant = dtf;
    }
    domain->m_dtcourant = dtcourant;
}

static void AddForces(Domain *domain)
{
    for (Index_t n = 0; n < domain->m_numNode; ++n)
        domain->m_fx[n] = 0;
    for (Index_t k = 0; k < domain->m_numElem; ++k)
        for (Index_t l = 0; l < 8; ++l)
            domain->m_fx[domain->m_nodelist[8 * k + l]] += domain->m_p[k] * 0.125;
    for (Index_t n = 0; n < domain->m_numNode; ++n)
        domain->m_x[n] += 1e-4 * domain->m_fx[n];
}

int main(void)
{
    Domain locDom, *domain = &locDom;
    Index_t edge = 9, elems = edge * edge * edge, nodes = (edge + 1) * (edge + 1) * (edge + 1);
    Real_t **all[] = {&domain->m_x, &domain->m_y, &domain->m_z, &domain->m_fx, &domain->m_e, &domain->m_p, &domain->m_q, &domain->m_v,
                      &domain->m_ss};
    for (int i = 0; i < 9; i++)
        *all[i] = AllocateReal(nodes);
    Real_t *bvc = AllocateReal(elems), *pbvc = AllocateReal(elems), *compression = AllocateReal(elems), sum = 0;
    domain->m_nodelist = malloc(sizeof(Index_t) * 8 * elems);
    domain->m_numElem = elems, domain->m_numNode = nodes, domain->m_sizeX = edge;
    for (Index_t n = 0; n < nodes; n++) {
        domain->m_x[n] = n % (edge + 1) * 0.1 + n % 3 * 0.01;
        domain->m_y[n] = n / (edge + 1) % (edge + 1) * 0.1;
        domain->m_z[n] = n / ((edge + 1) * (edge + 1)) * 0.1;
    }
    for (Index_t k = 0; k < elems; k++) {
        Index_t at = k % edge + k / edge % edge * (edge + 1) + k / (edge * edge) * (edge + 1) * (edge + 1);
        for (Index_t l = 0; l < 8; l++)
            domain->m_nodelist[8 * k + l] = at + (l & 1) + (l >> 1 & 1) * (edge + 1) + (l >> 2) * (edge + 1) * (edge + 1);
        domain->m_e[k] = k == 0 ? 100 : 1 + k % 5;
        compression[k] = 0.01 * (k % 4);
    }
    for (int cycle = 0; cycle < 4; cycle++) {
        CalcElemVolumes(domain);
        CalcPressureForElems(domain->m_p, bvc, pbvc, domain->m_e, compression, domain->m_v, 0.0, 1e-7, 1e9, elems);
        CalcSoundSpeed(domain, pbvc, bvc);
        CalcCourantConstraint(domain);
        AddForces(domain);
        printf("cycle %d dt %.15e\n", cycle, domain->m_dtcourant);
    }
    for (Index_t n = 0; n < nodes; n++)
        sum += domain->m_x[n];
    printf("%.17g\n%s\n", sum, domain->m_dtcourant > 0 ? "VERIFICATION SUCCESSFUL" : "FAILED");
    return 0;
}
