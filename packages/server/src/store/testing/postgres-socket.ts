/** The variable with the socket of the process that starts the server of a test run; unset: there is none. */
export const socketVariable = 'TEST_POSTGRES_SOCKET';
