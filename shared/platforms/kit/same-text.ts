/**
 * True where two texts are the same but for what platforms change when they store one: its Unicode form and white space.
 * Whether a lost post is live is often known by its text alone, and a difference that is none would publish it again.
 */
export const sameText = (one: string, other: string): boolean => comparable(one) === comparable(other);

const comparable = (text: string) => text.normalize('NFC').replace(/\s+/g, ' ').trim();
