// Stands for modules that the bundles of functions leave out: see bundle.ts.
