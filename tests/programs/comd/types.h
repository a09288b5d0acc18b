#ifndef TYPES_H
#define TYPES_H
#define MAXATOMS 16
typedef double real_t;
typedef real_t real3[3];
typedef struct SpeciesDataSt { real_t mass; int atomicNo; char name[3]; } SpeciesData;
typedef struct AtomsSt { int nTotal; real3 *r, *p, *f; real_t *U; int *iSpecies; } Atoms;
typedef struct LinkCellSt { int gridSize[3]; int nLocalBoxes; int *nAtoms; } LinkCell;
typedef struct SimFlatSt { LinkCell *boxes; Atoms *atoms; SpeciesData *species; real_t ePotential, eKinetic; } SimFlat;
#endif
