/**
 * At the end of every install: builds the stack, so that the first start need not. A failure here breaks no install: a
 * start builds what is missing and then says what is wrong. Plain JavaScript, since an install may run on a Node that
 * cannot read the sources.
 */
try {
  const { synthesize } = await import('../synthesize.ts');
  await synthesize();
} catch {
  // The start tells.
}
