import type { Architecture } from '../seccomp/syscalls.ts';
import { u16, u32, u64 } from './little-endian.ts';

/** The file's address in memory: a multiple of the largest page size of either architecture. */
const base = 0x40_0000;

const fileHeaderBytes = 64;
const segmentHeaderBytes = 56;

/** The address of a program's data. */
export const dataAddress = base + fileHeaderBytes + segmentHeaderBytes;

/** `EM_X86_64` and `EM_AARCH64` (`elf.h`). */
const machineNumbers: Readonly<Record<Architecture, number>> = { x64: 62, arm64: 183 };

/**
 * A static program (`elf(5)`): one segment that is readable and executable and never writable. It
 * contains the data, whose length is a multiple of 8, and then the code.
 */
export function executable(
  architecture: Architecture,
  data: readonly number[],
  code: readonly number[],
): Uint8Array {
  const [executableFile, currentVersion, loaded, readAndRun] = [2, 1, 1, 5];
  const bytes = fileHeaderBytes + segmentHeaderBytes + data.length + code.length;
  return Uint8Array.of(
    // 64 bits, little-endian
    ...[0x7f, 0x45, 0x4c, 0x46, 2, 1, currentVersion, ...Array<number>(9).fill(0)],
    ...u16(executableFile),
    ...u16(machineNumbers[architecture]),
    ...u32(currentVersion),
    ...u64(dataAddress + data.length),
    // The offset of the only table, which follows the header.
    ...u64(fileHeaderBytes),
    ...u64(0),
    ...u32(0),
    ...[fileHeaderBytes, segmentHeaderBytes, 1, 0, 0, 0].flatMap(u16),
    ...[loaded, readAndRun].flatMap(u32),
    ...[0, base, base, bytes, bytes, 0x1_0000].flatMap(u64),
    ...data,
    ...code,
  );
}
