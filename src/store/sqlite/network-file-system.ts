/** Whether a file is on a network file system, where the locks that protect a SQLite file may not work. */
import { statfsSync } from 'node:fs';

/** Linux's numbers for them (`man statfs`). GlusterFS, sshfs and others under FUSE look like local ones. */
const NAMES: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'SMB (CIFS)',
  4266872130: 'SMB',
  16914839: '9P',
  12805120: 'Ceph',
  1397113167: 'AFS',
  198183888: 'Lustre',
  1196443219: 'GPFS',
};

export function networkFileSystem(path: string): string | null {
  try {
    return NAMES[statfsSync(path).type >>> 0] ?? null;
  } catch {
    // Some platforms don't say.
    return null;
  }
}
