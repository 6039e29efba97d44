/** MIME type and Slack's file type by file name extension. */
const TYPES: Readonly<Record<string, { readonly mimetype: string; readonly filetype: string }>> = {
  png: { mimetype: 'image/png', filetype: 'png' },
  jpg: { mimetype: 'image/jpeg', filetype: 'jpg' },
  jpeg: { mimetype: 'image/jpeg', filetype: 'jpg' },
  gif: { mimetype: 'image/gif', filetype: 'gif' },
  csv: { mimetype: 'text/csv', filetype: 'csv' },
  txt: { mimetype: 'text/plain', filetype: 'text' },
  json: { mimetype: 'application/json', filetype: 'json' },
};

export function typeOfFile(name: string): { readonly mimetype: string; readonly filetype: string } {
  const extension = name.split('.').at(-1)?.toLowerCase() ?? '';
  return TYPES[extension] ?? { mimetype: 'application/octet-stream', filetype: 'binary' };
}
