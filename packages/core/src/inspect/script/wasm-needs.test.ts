// Threat model: T164

import { describe, expect, test } from 'vitest';
import { processorMs } from '../../testing/processor-ms.ts';
import { wasmNeeds } from './wasm-needs.ts';

function needsOf(texts: Readonly<Record<string, string>>, path = 'scripts/run.py') {
  const files = Object.entries(texts).map(([each, text]) => ({
    path: each,
    text,
    language: 'python' as const,
    isMarkdown: false,
  }));
  const modules = new Set(Object.keys(texts).flatMap((each) => each.replace(/\.py$/, '').split('/')));
  return wasmNeeds(files, modules).get(path);
}

const ofScript = (...lines: readonly string[]) => needsOf({ 'scripts/run.py': `${lines.join('\n')}\n` });

test('a script that uses only the standard library needs nothing', () => {
  expect(
    ofScript(
      'from __future__ import annotations',
      'import argparse, csv, json, re, sqlite3, zlib, hashlib',
      'import xml.etree.ElementTree as ET',
      'from concurrent.futures import Future',
      'import urllib.request, http.client, socket, subprocess, threading, signal, email.utils',
      'from ambit import http_request',
      'signal.signal(signal.SIGINT, signal.SIG_DFL)',
      'with urllib.request.urlopen(url) as answer: pass',
      'raise subprocess.CalledProcessError(1, "x")',
    ),
  ).toEqual({ needs: [], mayNeed: [] });
});

test.each([
  ['import requests', 'package requests'],
  ['from yaml import safe_load', 'package PyYAML'],
  ['import numpy as np, bz2', 'module bz2', 'package numpy'],
  ['import ssl', 'module ssl'],
  ['from curses import wrapper', 'module curses'],
  ['from dbm import gnu', 'module dbm.gnu'],
  ['from subprocess import (\n    PIPE,\n    run,\n)', 'programs'],
  ['import smtplib', 'sockets'],
  ['from http import server', 'sockets'],
  ['import http.server', 'sockets'],
  ['import multiprocessing as mp', 'processes'],
  ['subprocess.run(["git", "status"])', 'program git'],
  ['subprocess.check_output(\n    "/usr/bin/ffmpeg -i x", shell=True)', 'program ffmpeg'],
  ['subprocess.Popen([sys.executable, "-m", "x"])', 'programs'],
  ['subprocess.run(command)\nsubprocess.run(["ls"])', 'program ls'],
  ['from subprocess import run\nrun(x)', 'programs'],
  ['os.system("clear")', 'program clear'],
  ['pid = os.fork()', 'programs'],
  ['os.execvp(name, args)', 'programs'],
  ['threading.Thread(target=f).start()', 'threads'],
  ['class Worker(threading.Thread): pass', 'threads'],
  ['from threading import Timer', 'threads'],
  ['with ThreadPoolExecutor(max_workers=4) as pool: pass', 'threads'],
  ['with ProcessPoolExecutor() as pool: pass', 'processes'],
  ['socket.create_connection(("a.example", 80))', 'sockets'],
  ['http.client.HTTPSConnection(host)', 'sockets'],
  ['signal.alarm(3)', 'signals'],
  ['if os.getuid() == 0: pass', 'os.getuid'],
])('%j needs %s', (code, ...needs) => {
  expect(ofScript(code)).toEqual({ needs, mayNeed: [] });
});

test('what is imported inside a function, a condition or a try may be needed', () => {
  expect(
    ofScript('try:', '    import yaml', 'except UsageError:', '    yaml = None', 'def f():', '\timport ssl'),
  ).toEqual({ needs: [], mayNeed: ['module ssl', 'package PyYAML'] });
});

test('an event loop needs nothing, and a function that the script looks for may be needed', () => {
  expect(ofScript('asyncio.run(main())', 'root = hasattr(os, "getuid") and os.getuid() == 0')).toEqual({
    needs: [],
    mayNeed: ['os.getuid'],
  });
});

test('comments, texts and documentation need nothing', () => {
  expect(
    ofScript(
      '"""Usage:',
      'import requests',
      'subprocess.run(["git"])',
      '"""',
      '# import requests',
      "help = 'subprocess.run([\"git\"])'  # os.system('x')",
      "other = '''",
      'import ssl',
      "'''",
    ),
  ).toEqual({ needs: [], mayNeed: [] });
});

describe('what its own modules need', () => {
  const world = {
    'scripts/run.py': 'import helper\nfrom office.pack import pack\nfrom lib import deep\n',
    'scripts/helper.py': 'import requests\nimport run\n',
    'scripts/office/__init__.py': '',
    'scripts/office/pack.py': 'from . import zipped\ndef f():\n    from .later import g\n',
    'scripts/office/zipped.py': 'import lzma\n',
    'scripts/office/later.py': 'import fcntl\n',
    'scripts/lib/deep.py': 'import numpy\n',
    'scripts/alone.py': 'import pandas\n',
  };

  test('is needed by the script that imports them, through any number of modules', () => {
    expect(needsOf(world)).toEqual({
      needs: ['module lzma', 'package numpy', 'package requests'],
      mayNeed: ['module fcntl'],
    });
  });

  test('is not needed by a script that does not import them', () => {
    expect(needsOf(world, 'scripts/alone.py')).toEqual({ needs: ['package pandas'], mayNeed: [] });
  });
});

test.each(['"""', "'", '"\\"', '\\"', 'import a,', 'a = ("', 'subprocess.run(', ' ', '\n'])(
  'reads a million characters of %j once',
  async (part) => {
    const reading = (): void => {
      ofScript(`"${part.repeat(1_000_000 / part.length)}`);
      ofScript(part.repeat(1_000_000 / part.length));
      ofScript(`from ${part.repeat(1_000_000 / part.length)}`);
    };
    expect(await processorMs(reading)).toBeLessThan(5000);
  },
);
