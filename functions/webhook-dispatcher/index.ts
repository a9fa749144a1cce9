export async function handler(): Promise<void> {
  // Follows.
}
