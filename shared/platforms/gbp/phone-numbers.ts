const URLS = /\bhttps?:\/\/\S+/g;
/** Groups of digits with what people write between them. Bounded, so that its time is linear. */
const CANDIDATES = /(?<![\w.,:/-])(?:\+|\()?\d[\d\s()./-]{5,24}\d(?![\w:])/g;
/** Dates, ranges of years and of times, and large numbers. */
const OTHERS = [
  /^\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{2,4}$/,
  /^\d{4}[./-]\d{1,2}[./-]\d{1,2}$/,
  /^\d{4}\s?[/-]\s?\d{4}$/,
  /^\d{1,2}\.\d{2}\s?-\s?\d{1,2}\.\d{2}$/,
  /^\d{1,3}(?:\.\d{3})+$/,
];
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;

/** Returns whether a text seems to contain a phone number. */
export function hasPhoneNumber(text: string): boolean {
  const candidates = text.replace(URLS, ' ').match(CANDIDATES) ?? [];
  return candidates.some(candidate => isPhoneNumber(candidate.trim()));
}

function isPhoneNumber(candidate: string): boolean {
  const digits = candidate.replace(/\D/g, '').length;
  // A plain number without a leading zero may be anything.
  const isWritten = /^[+(0]/.test(candidate) || /\D/.test(candidate);
  const isOther = OTHERS.some(pattern => pattern.test(candidate));
  return digits >= MIN_DIGITS && digits <= MAX_DIGITS && isWritten && !isOther;
}

/** Google rejects most posts with a phone number, after it accepted them and without a reason. */
export const phoneNumberDoubts = (text: string): string[] =>
  hasPhoneNumber(text)
    ? [
        'The text seems to contain a phone number: Google rejects most such posts. Remove it and set gbp_cta_type to CALL, which dials the number of the location',
      ]
    : [];
