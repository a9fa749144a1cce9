import type { Route } from '../../shared/http/route.ts';
import { changeSettings } from './change-settings.ts';
import { getSettings } from './get-settings.ts';
import { nextSlot } from './next-slot.ts';
import { preview } from './preview.ts';

/** One entry per endpoint. */
export const routes: readonly Route[] = [getSettings, changeSettings, preview, nextSlot];
