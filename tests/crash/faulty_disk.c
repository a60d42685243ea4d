// faulty_disk: a disk that fails when told to, as a library to preload (LD_PRELOAD) into the server.
//
// It looks at the regular files under FAULTY_DISK_ROOT. FAULTY_DISK_STATE names a file of the layout `struct state`, mapped by this library
// and by the test (shim.py knows the same layout). In it the test says what shall fail, and this library keeps what a power cut would
// leave: how many bytes of each file were synced, which of these were overwritten since, and whether its directory entry was synced. A sync that
// fails loses what it should have written, as kernels do: those bytes become zeros, and the next sync of the file succeeds without them.
//
// FAULTY_DISK_KILL_TEXT kills the process (SIGKILL) when a write under the root contains the text: as soon as it is written, or, with
// FAULTY_DISK_KILL_WHEN=synced, after the next sync.
//
// Simplifications: a file has one name that counts, its last; renames and unlinks are durable at once, and a rename makes earlier entries of its directory durable. Overwritten bytes were
// zeros before: the server overwrites nothing but the zeros ahead of its log.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kFiles = 8192, kDirectories = 64 };
enum { kLogs = 1, kTables = 2, kManifests = 4, kOthers = 8 };

struct file_entry {
  uint64_t inode;  // 0: free
  uint64_t synced_bytes;
  uint64_t created;  // sequence number of its creation; 0: its directory entry is durable
  uint64_t directory;
  uint64_t overwritten_from;  // since the last sync; not below overwritten_to: nothing
  uint64_t overwritten_to;
};

struct directory_entry {
  uint64_t inode;
  uint64_t synced;  // entries created up to here are durable
};

struct state {
  _Atomic uint32_t write_errno;  // 0: writes work
  _Atomic uint32_t write_halves;  // the first failing write of a file writes half of its bytes
  _Atomic uint32_t sync_errno;    // 0: syncs work
  _Atomic uint32_t failures_left;
  _Atomic uint32_t kinds;     // which files fail, a sum of kLogs, ...
  _Atomic uint32_t failures;  // injected so far
  uint64_t sequence;
  struct directory_entry directories[kDirectories];
  struct file_entry files[kFiles];
};

static struct state* state;
static char root[PATH_MAX];
static size_t root_length;
static const char* kill_text;
static int kills_when_synced;
static atomic_int is_doomed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int (*real_open)(const char*, int, ...);
static ssize_t (*real_write)(int, const void*, size_t);
static ssize_t (*real_pwrite)(int, const void*, size_t, off_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_rename)(const char*, const char*);
static int (*real_link)(const char*, const char*);
static int (*real_unlink)(const char*);

__attribute__((constructor)) static void start(void) {
  real_open = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  real_write = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  real_pwrite = (ssize_t(*)(int, const void*, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
  real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = (int (*)(int, off_t))dlsym(RTLD_NEXT, "ftruncate");
  real_rename = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  real_link = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "link");
  real_unlink = (int (*)(const char*))dlsym(RTLD_NEXT, "unlink");
  kill_text = getenv("FAULTY_DISK_KILL_TEXT");
  const char* when = getenv("FAULTY_DISK_KILL_WHEN");
  kills_when_synced = when != NULL && strcmp(when, "synced") == 0;
  const char* state_path = getenv("FAULTY_DISK_STATE");
  const char* root_path = getenv("FAULTY_DISK_ROOT");
  if (state_path == NULL || root_path == NULL) return;
  snprintf(root, sizeof root, "%s/", root_path);
  root_length = strlen(root);
  const int fd = real_open(state_path, O_RDWR | O_CLOEXEC);
  void* mapped = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    fprintf(stderr, "faulty_disk: cannot map %s\n", state_path);
    _exit(1);
  }
  close(fd);
  state = mapped;
}

// The path of a file or directory under the root; false for anything else. Syscalls only, so errno is kept by the callers.
static int find_path(int fd, struct stat* about, char path[PATH_MAX]) {
  if (state == NULL || fstat(fd, about) != 0 || !(S_ISREG(about->st_mode) || S_ISDIR(about->st_mode))) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, PATH_MAX - 2);
  if (length <= 0) return 0;
  path[length] = S_ISDIR(about->st_mode) ? '/' : '\0';
  path[length + 1] = '\0';
  return strncmp(path, root, root_length) == 0;
}

static uint32_t kind_of(const char* path) {
  const char* slash = strrchr(path, '/');
  const char* name = slash == NULL ? path : slash + 1;
  const size_t length = strlen(name);
  if (length > 4 && strcmp(name + length - 4, ".log") == 0) return kLogs;
  if (length > 4 && strcmp(name + length - 4, ".sst") == 0) return kTables;
  if (strncmp(name, "MANIFEST-", 9) == 0) return kManifests;
  return kOthers;
}

// The entry of a file, made when it is new; call with the mutex held.
static struct file_entry* entry_of(const struct stat* about) {
  for (size_t i = 0; i < kFiles; ++i) {
    struct file_entry* entry = &state->files[((size_t)about->st_ino + i) % kFiles];
    if (entry->inode == about->st_ino) return entry;
    if (entry->inode != 0) continue;
    *entry = (struct file_entry){.inode = about->st_ino, .synced_bytes = (uint64_t)about->st_size};
    return entry;
  }
  fprintf(stderr, "faulty_disk: too many files\n");
  _exit(1);
}

static uint64_t directory_of(const char* path) {
  char directory[PATH_MAX];
  snprintf(directory, sizeof directory, "%s", path);
  char* slash = strrchr(directory, '/');
  if (slash != NULL) *slash = '\0';
  struct stat about;
  return stat(directory, &about) == 0 ? about.st_ino : 0;
}

static void note_created(int fd) {
  struct stat about;
  char path[PATH_MAX];
  if (!find_path(fd, &about, path)) return;
  pthread_mutex_lock(&mutex);
  struct file_entry* entry = entry_of(&about);
  entry->synced_bytes = 0;
  entry->overwritten_from = entry->overwritten_to = 0;
  entry->created = ++state->sequence;
  entry->directory = directory_of(path);
  pthread_mutex_unlock(&mutex);
}

static void note_directory_synced(uint64_t inode, uint64_t sequence) {
  if (inode == 0) return;
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < kDirectories; ++i) {
    struct directory_entry* entry = &state->directories[i];
    if (entry->inode != inode && entry->inode != 0) continue;
    entry->inode = inode;
    if (sequence > entry->synced) entry->synced = sequence;
    break;
  }
  pthread_mutex_unlock(&mutex);
}

static int shall_fail(uint32_t error, const char* path) {
  if (error == 0 || (atomic_load(&state->kinds) & kind_of(path)) == 0) return 0;
  uint32_t left = atomic_load(&state->failures_left);
  while (left > 0) {
    if (!atomic_compare_exchange_weak(&state->failures_left, &left, left - 1)) continue;
    atomic_fetch_add(&state->failures, 1);
    return 1;
  }
  return 0;
}

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  const int is_new = state != NULL && (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
  const int fd = real_open(path, flags, mode);
  const int error = errno;
  if (fd >= 0 && (is_new || (flags & O_TRUNC) != 0)) note_created(fd);
  errno = error;
  return fd;
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open(path, flags, mode);
}

static void note_overwritten(struct file_entry* entry, uint64_t from, uint64_t to) {
  if (from >= to) return;
  const int is_first = entry->overwritten_from >= entry->overwritten_to;
  if (is_first || from < entry->overwritten_from) entry->overwritten_from = from;
  if (is_first || to > entry->overwritten_to) entry->overwritten_to = to;
}

// Whether a write shall fail; *bytes becomes what it may write before it does.
static int write_fails(int fd, size_t* bytes, off_t offset) {
  struct stat about;
  char path[PATH_MAX];
  if (!find_path(fd, &about, path) || !S_ISREG(about.st_mode)) return 0;
  const int fails = shall_fail(atomic_load(&state->write_errno), path);
  if (fails) *bytes = atomic_exchange(&state->write_halves, 0) != 0 ? *bytes / 2 : 0;
  const uint64_t size = (uint64_t)about.st_size;
  const uint64_t end = (uint64_t)offset + *bytes;
  pthread_mutex_lock(&mutex);
  struct file_entry* entry = entry_of(&about);  // from its first write on, if it was opened in a way that is not seen here
  note_overwritten(entry, (uint64_t)offset, end < size ? end : size);
  pthread_mutex_unlock(&mutex);
  return fails;
}

static void die(void) { kill(getpid(), SIGKILL); }

// After a write of these bytes.
static void look_for_kill_text(int fd, const void* bytes, ssize_t written) {
  struct stat about;
  char path[PATH_MAX];
  if (kill_text == NULL || written <= 0 || memmem(bytes, (size_t)written, kill_text, strlen(kill_text)) == NULL) return;
  const int error = errno;
  if (find_path(fd, &about, path)) {
    if (!kills_when_synced) die();
    atomic_store(&is_doomed, 1);
  }
  errno = error;
}

ssize_t write(int fd, const void* bytes, size_t count) {
  if (state != NULL && write_fails(fd, &count, lseek(fd, 0, SEEK_CUR)) && count == 0) {
    errno = (int)atomic_load(&state->write_errno);
    return -1;
  }
  const ssize_t written = real_write(fd, bytes, count);
  look_for_kill_text(fd, bytes, written);
  return written;
}

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
  if (state != NULL && write_fails(fd, &count, offset) && count == 0) {
    errno = (int)atomic_load(&state->write_errno);
    return -1;
  }
  const ssize_t written = real_pwrite(fd, bytes, count, offset);
  look_for_kill_text(fd, bytes, written);
  return written;
}

ssize_t pwrite64(int fd, const void* bytes, size_t count, off_t offset) { return pwrite(fd, bytes, count, offset); }

static void write_zeros(int fd, uint64_t from, uint64_t to) {
  static const char zeros[4096];
  while (from < to) {
    const uint64_t left = to - from;
    const ssize_t written = real_pwrite(fd, zeros, left < sizeof zeros ? left : sizeof zeros, (off_t)from);
    if (written <= 0) break;
    from += (uint64_t)written;
  }
}

static void lose_unsynced(int fd, const struct stat* about) {
  pthread_mutex_lock(&mutex);
  struct file_entry* entry = entry_of(about);
  const struct file_entry before = *entry;
  if (entry->synced_bytes < (uint64_t)about->st_size) entry->synced_bytes = (uint64_t)about->st_size;
  entry->overwritten_from = entry->overwritten_to = 0;
  pthread_mutex_unlock(&mutex);
  write_zeros(fd, before.synced_bytes, (uint64_t)about->st_size);
  write_zeros(fd, before.overwritten_from, before.overwritten_to);
}

// `about` and `before` are from before the sync; what was written during it may be on disk or not.
static void note_synced(const struct stat* about, const struct file_entry* before) {
  pthread_mutex_lock(&mutex);
  struct file_entry* entry = entry_of(about);
  if (entry->synced_bytes < (uint64_t)about->st_size) entry->synced_bytes = (uint64_t)about->st_size;
  if (entry->overwritten_from == before->overwritten_from) {
    const int has_more = entry->overwritten_to > before->overwritten_to;
    entry->overwritten_from = has_more ? before->overwritten_to : 0;
    entry->overwritten_to = has_more ? entry->overwritten_to : 0;
  }
  pthread_mutex_unlock(&mutex);
}

static int sync_with(int fd, int (*real)(int)) {
  struct stat about;
  char path[PATH_MAX];
  if (state == NULL || !find_path(fd, &about, path)) return real(fd);
  pthread_mutex_lock(&mutex);
  const uint64_t sequence = state->sequence;
  const struct file_entry before = S_ISREG(about.st_mode) ? *entry_of(&about) : (struct file_entry){0};
  pthread_mutex_unlock(&mutex);
  const uint32_t error = atomic_load(&state->sync_errno);
  if (S_ISREG(about.st_mode) && shall_fail(error, path)) {
    lose_unsynced(fd, &about);
    errno = (int)error;
    return -1;
  }
  const int outcome = real(fd);
  if (outcome != 0) return outcome;
  if (S_ISDIR(about.st_mode)) {
    note_directory_synced(about.st_ino, sequence);
  } else {
    note_synced(&about, &before);
  }
  if (atomic_load(&is_doomed)) die();
  return 0;
}

int fsync(int fd) { return sync_with(fd, real_fsync); }
int fdatasync(int fd) { return sync_with(fd, real_fdatasync); }

int ftruncate(int fd, off_t length) {
  struct stat about;
  char path[PATH_MAX];
  const int outcome = real_ftruncate(fd, length);
  if (outcome != 0 || !find_path(fd, &about, path)) return outcome;
  pthread_mutex_lock(&mutex);
  struct file_entry* entry = entry_of(&about);
  if (entry->synced_bytes > (uint64_t)length) entry->synced_bytes = (uint64_t)length;
  if (entry->overwritten_to > (uint64_t)length) entry->overwritten_to = (uint64_t)length;
  pthread_mutex_unlock(&mutex);
  return 0;
}

int ftruncate64(int fd, off_t length) { return ftruncate(fd, length); }

// Noted before it is done: a kill in between would else take away the new file of that name when the old one is gone already.
int rename(const char* from, const char* to) {
  if (state != NULL) {
    pthread_mutex_lock(&mutex);
    const uint64_t sequence = state->sequence;
    pthread_mutex_unlock(&mutex);
    note_directory_synced(directory_of(to), sequence);
  }
  return real_rename(from, to);
}

// The new name counts from now on: a power cut takes the file away until its directory is synced.
int link(const char* from, const char* to) {
  struct stat about;
  const int outcome = real_link(from, to);
  if (outcome != 0 || state == NULL || strncmp(to, root, root_length) != 0 || stat(to, &about) != 0) return outcome;
  pthread_mutex_lock(&mutex);
  struct file_entry* entry = entry_of(&about);
  entry->created = ++state->sequence;
  entry->directory = directory_of(to);
  pthread_mutex_unlock(&mutex);
  return 0;
}

// An inode can be used again: what is known of the old file must go, unless it has another name.
int unlink(const char* path) {
  struct stat about;
  const int is_known = state != NULL && stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink == 1;
  const int outcome = real_unlink(path);
  if (outcome != 0 || !is_known) return outcome;
  pthread_mutex_lock(&mutex);
  struct file_entry* entry = entry_of(&about);
  entry->synced_bytes = 0;
  entry->overwritten_from = entry->overwritten_to = 0;
  entry->created = 0;
  pthread_mutex_unlock(&mutex);
  return 0;
}
