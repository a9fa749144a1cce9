/**
 * Runs at the end of every install: synthesizes the stack to save time at the first start. A failure does not fail the
 * install, because the start synthesizes again and reports it. Plain JavaScript, because an install may run on a Node.js
 * version that cannot run the sources.
 */
try {
  const { synthesize } = await import('../synthesize.ts');
  await synthesize();
} catch {
  // Reported by the start.
}
