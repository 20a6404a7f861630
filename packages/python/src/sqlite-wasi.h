/* What SQLite's file layer expects of a Unix and WASI lacks. Nothing else opens the files of a
   call, so SQLite takes no locks (its "unix-none"). */
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#define F_GETLK 5
#define F_SETLK 6
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2

static inline uid_t geteuid(void) { return 0; }
static inline int fchown(int file, uid_t user, gid_t group) { return 0; }
static inline int fchmod(int file, mode_t mode) { return 0; }
