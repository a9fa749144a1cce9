import type { Language } from '../../brief.ts';
import type { LanguageTable } from '../table.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { pt } from './pt.ts';
import { tr } from './tr.ts';
import { zh } from './zh.ts';

export const TABLES: Readonly<Record<Language, LanguageTable>> = { en, tr, ar, es, fr, de, pt, ja, ko, zh };
