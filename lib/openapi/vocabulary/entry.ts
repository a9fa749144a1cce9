/** What a field of the API means, wherever it appears; and a realistic value of it. */
export interface Entry {
  description: string;
  example?: unknown;
  format?: 'uuid' | 'date-time' | 'uri' | 'date';
}

/** Entries by field name, or by `Schema.field` where the field means something special in one schema. */
export type Vocabulary = Readonly<Record<string, Entry>>;

export const says = (description: string, example?: unknown): Entry =>
  example === undefined ? { description } : { description, example };

/** An id of the service. `n` makes the ids of different things different. */
export const id = (description: string, n: number): Entry => ({
  description,
  format: 'uuid',
  example: `018f6f5e-7c1a-7b3e-9c1d-2f4a5b6c${(0x7d00 + n).toString(16)}`,
});

export const time = (description: string, example = '2026-12-01T10:00:00.000Z'): Entry => ({
  description,
  format: 'date-time',
  example,
});

export const url = (description: string, example: string): Entry => ({ description, format: 'uri', example });
