/* SPDX-License-Identifier: MIT
 * Old versions of glibc functions, from before it moved libpthread and libdl into libc (2.34), gave stat its own symbol
 * (2.33) and changed the error reporting of exp, log, pow (2.29) and hypot (2.35). An extension linked against a newer
 * glibc requires the new versions and does not load on older systems. The linker redirects the library's calls here
 * (-Wl,--wrap), to the old versions, which every glibc has.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#endif

/* old_NAME is the old version of NAME. */
#define OLD(type, name, parameters)                                                                                    \
    type old_##name parameters;                                                                                        \
    type __wrap_##name parameters;                                                                                     \
    __asm__(".symver old_" #name "," #name "@" OLDEST);                                                                \
    type __wrap_##name parameters

OLD(int, pthread_create, (pthread_t * thread, const pthread_attr_t *with, void *(*run)(void *), void *argument))
{
    return old_pthread_create(thread, with, run, argument);
}

OLD(int, pthread_join, (pthread_t thread, void **result))
{
    return old_pthread_join(thread, result);
}

OLD(int, pthread_mutex_trylock, (pthread_mutex_t * mutex))
{
    return old_pthread_mutex_trylock(mutex);
}

OLD(int, pthread_once, (pthread_once_t * once, void (*run)(void)))
{
    return old_pthread_once(once, run);
}

OLD(int, pthread_mutexattr_init, (pthread_mutexattr_t * with))
{
    return old_pthread_mutexattr_init(with);
}

OLD(int, pthread_mutexattr_settype, (pthread_mutexattr_t * with, int type))
{
    return old_pthread_mutexattr_settype(with, type);
}

OLD(int, pthread_mutexattr_destroy, (pthread_mutexattr_t * with))
{
    return old_pthread_mutexattr_destroy(with);
}

OLD(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *old))
{
    return old_pthread_sigmask(how, set, old);
}

OLD(void *, dlopen, (const char *path, int flags))
{
    return old_dlopen(path, flags);
}

OLD(void *, dlsym, (void *object, const char *name))
{
    return old_dlsym(object, name);
}

OLD(int, dlclose, (void *object))
{
    return old_dlclose(object);
}

OLD(char *, dlerror, (void))
{
    return old_dlerror();
}

OLD(double, hypot, (double x, double y))
{
    return old_hypot(x, y);
}

OLD(double, exp, (double x))
{
    return old_exp(x);
}

OLD(double, log, (double x))
{
    return old_log(x);
}

OLD(double, pow, (double x, double y))
{
    return old_pow(x, y);
}

/* Fills only a file's kind and size, all that the library reads, by statx() of 2.28. */
int __wrap_stat64(const char *path, struct stat *about);

int __wrap_stat64(const char *path, struct stat *about)
{
    struct statx found;
    if (statx(AT_FDCWD, path, 0, STATX_TYPE | STATX_MODE | STATX_SIZE, &found) != 0) {
        return -1;
    }
    memset(about, 0, sizeof *about);
    about->st_mode = found.stx_mode;
    about->st_size = (off_t)found.stx_size;
    return 0;
}
