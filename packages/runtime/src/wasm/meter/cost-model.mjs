// The charges of fuel. docs/fuel.md describes the model, and which instructions cost nothing. An
// element that a table instruction writes or adds costs 1: the governor charges their number.
//
// This is version 2 of the model. Any difference in the fuel of any module, however small, needs a new version there.

/** The cost of an instruction, besides the bytes, elements or pages that it handles. */
export const fuelPerInstruction = 1;

/** The number of declared locals that a function entry clears for one unit of fuel. */
export const localsPerFuel = 8;

/**
 * The bytes of memory that are filled, copied or initialized for one unit of fuel, as a power of
 * two.
 */
export const bytesPerFuelLog2 = 6;

/** The cost of growing memory by a page: as much as filling it. */
export const fuelPerPage = (64 * 1024) >> bytesPerFuelLog2;
