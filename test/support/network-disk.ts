/** Loaded before a program, makes the system say that every file is on NFS. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const NFS = 0x6969;
const { statfsSync } = fs;
fs.statfsSync = ((path: string) => Object.assign(statfsSync(path), { type: NFS })) as typeof statfsSync;
syncBuiltinESMExports();
