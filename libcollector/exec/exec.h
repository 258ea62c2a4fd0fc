/* exec.h: the process is about to become another program. */
#ifndef XER_COLLECTOR_EXEC_EXEC_H
#define XER_COLLECTOR_EXEC_EXEC_H

enum exec_form { EXEC_EXECVE, EXEC_EXECVPE, EXEC_FEXECVE, EXEC_EXECVEAT };

/* One call of the exec family, named as in its manual page. */
struct exec_call {
	enum exec_form form;
	int directory; /* or the descriptor of fexecve */
	const char *path;
	char *const *argv;
	char *const *envp;
	int flags;
};

/* Do it, as recorded. Returns -1 with errno set if it fails. */
int exec_run(const struct exec_call *call);

/* The calling thread ends: unmap what a vfork child of it left behind. */
void exec_forget_list(void);

#endif
