/** Every verb of the bot. Help, the manual, suggestions, permissions and the Home tab list what is listed here. */
import { createCommandTable } from '../../grammar/command-table.ts';
import type { Verb } from '../verb.ts';
import { attacks } from './attacks.ts';
import { check } from './check.ts';
import { compare } from './compare.ts';
import { digest } from './digest.ts';
import { doctor } from './doctor.ts';
import { handover } from './handover.ts';
import { help } from './help.ts';
import { hosts } from './hosts.ts';
import { ignore } from './ignore.ts';
import { incident } from './incident.ts';
import { join } from './join.ts';
import { maintenance } from './maintenance.ts';
import { pager } from './pager.ts';
import { runbook } from './runbook.ts';
import { settings } from './settings.ts';
import { timeline } from './timeline.ts';
import { watch } from './watch.ts';
import { whichHost } from './which-host.ts';
import { who } from './who.ts';

/** In the order in which they are listed. */
export const COMMANDS = createCommandTable<Verb>([
  timeline,
  attacks,
  compare,
  check,
  incident,
  who,
  whichHost,
  handover,
  digest,
  watch,
  maintenance,
  ignore,
  hosts,
  runbook,
  pager,
  settings,
  doctor,
  join,
  help,
]);
