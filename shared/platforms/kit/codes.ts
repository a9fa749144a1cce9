/* Codes of countries and languages: whether one exists, and which one was probably meant. */

/** Assigned codes of ISO 3166-1 alpha-2. */
const COUNTRIES = new Set(
  (
    'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
    'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
    'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO ' +
    'JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR ' +
    'MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO ' +
    'RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV ' +
    'TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
  ).split(' '),
);

/** Codes of ISO 639-1. */
const LANGUAGES = (
  'aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo ' +
  'es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka ' +
  'kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng ' +
  'nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su ' +
  'sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu'
).split(' ');

/** Codes that are often taken for the one of a country. */
const MEANT_COUNTRY: Readonly<Record<string, string>> = {
  UK: 'GB',
  EN: 'GB',
  GBR: 'GB',
  EL: 'GR',
  SP: 'ES',
  ESP: 'ES',
  JA: 'JP',
  JPN: 'JP',
  USA: 'US',
  DEU: 'DE',
  GER: 'DE',
  FRA: 'FR',
  ITA: 'IT',
  AUT: 'AT',
  CHE: 'CH',
  SU: 'RU',
  YU: 'RS',
};

export const isCountry = (code: string): boolean => COUNTRIES.has(code.toUpperCase());

/** Returns the code that was probably meant; null where there is no guess. */
export const meantCountry = (code: string): string | null => MEANT_COUNTRY[code.toUpperCase()] ?? null;

/** True for a BCP 47 tag whose language, and country where it has one, exist. Languages of three letters are accepted. */
export function isLanguage(tag: string): boolean {
  const locale = localeOf(tag);
  if (!locale) return false;
  const [language = '', ...subtags] = tag.split('-');
  const country = subtags.find((subtag, index) => subtag.length === 2 && subtags[index - 1]?.length !== 1);
  const isKnown = language.length === 2 ? LANGUAGES.includes(language.toLowerCase()) : language.length === 3;
  return (
    isKnown && locale.language === language.toLowerCase() && (country === undefined || isCountry(country))
  );
}

/** Returns the tag that was probably meant: for an English name, an underscore, an outdated or a country's code. */
export function meantLanguage(text: string): string | null {
  const byName = LANGUAGES.find(code => nameOf(code) === text.trim().toLowerCase());
  if (byName !== undefined) return byName;
  const locale = localeOf(text.trim().replaceAll('_', '-'));
  if (!locale) return null;
  const tag = locale.toString();
  return tag !== text && isLanguage(tag) ? tag : null;
}

const nameOf = (code: string): string | undefined =>
  new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(code)?.toLowerCase();

function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag);
  } catch {
    return null;
  }
}
