/**
 * The worker thread that finds out in which order the files are entered. Coverage counts calls but knows no order, so
 * this thread debugs the main one: a breakpoint at the start of each function, removed with the file's first hit.
 */
import { Session } from 'node:inspector/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** A file's functions by where they start and end in its source, in characters. */
export interface FunctionsOfFile {
  readonly url: string;
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number }[];
}

/** The first call into a file. */
export interface Entry {
  readonly url: string;
  /** Empty where the function has no name. */
  readonly functionName: string;
  /** Counted from 1. */
  readonly line: number;
}

// An open inspector session does not keep a thread alive; a listener does.
parentPort?.on('message', () => {
  hasBegun = true;
  parentPort?.postMessage('begun');
});

const session = new Session();
session.connectToMainThread();

const scriptIds = new Map<string, string>();
session.on('Debugger.scriptParsed', ({ params }) => void scriptIds.set(params.url, params.scriptId));

const urlOf = new Map<string, string>();
const breakpointsOf = new Map<string, string[]>();
/** What the bot does before the question, such as answering a ping, is no part of it, and must not use breakpoints up. */
let hasBegun = false;

session.on('Debugger.paused', ({ params }) => {
  const url = params.hitBreakpoints?.map((id) => urlOf.get(id)).find((known) => known !== undefined);
  const frame = params.callFrames[0];
  const breakpoints = url === undefined ? undefined : breakpointsOf.get(url);
  if (hasBegun && url !== undefined && breakpoints !== undefined) {
    breakpointsOf.delete(url);
    for (const breakpointId of breakpoints) void session.post('Debugger.removeBreakpoint', { breakpointId });
    const entry: Entry = {
      url,
      functionName: frame?.functionName ?? '',
      line: (frame?.functionLocation?.lineNumber ?? 0) + 1,
    };
    parentPort?.postMessage(entry);
  }
  void session.post('Debugger.resume');
});

await session.post('Debugger.enable');
for (const { url, ranges } of workerData as readonly FunctionsOfFile[]) {
  const scriptId = scriptIds.get(url);
  if (scriptId === undefined) throw new Error(`${url} is not loaded`);
  const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
  const lineStarts = [0, ...[...scriptSource.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const locationOf = (offset: number) => {
    const lineNumber = lineStarts.findLastIndex((start) => start <= offset);
    return { scriptId, lineNumber, columnNumber: offset - (lineStarts[lineNumber] ?? 0) };
  };
  const breakpoints: string[] = [];
  for (const { startOffset, endOffset } of ranges) {
    const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
      start: locationOf(startOffset),
      end: locationOf(endOffset),
      restrictToFunction: true,
    });
    const [location] = locations;
    if (location === undefined) continue;
    const { breakpointId } = await session.post('Debugger.setBreakpoint', { location });
    breakpoints.push(breakpointId);
    urlOf.set(breakpointId, url);
  }
  breakpointsOf.set(url, breakpoints);
}
parentPort?.postMessage('ready');
