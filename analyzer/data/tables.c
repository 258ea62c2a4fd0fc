/* tables.c: forgets the tables of the session: what they are made of has changed. */
#include "analyzer/data/session.h"

#include <stdlib.h>

void session_forget_tables(struct session *session)
{
	for (size_t i = 0; i < TREE_MODES; i++) {
		tree_destroy(session->trees[i]);
		session->trees[i] = NULL;
		for (size_t j = 0; session->folds[i] && j <= session->columns; j++)
			free(session->folds[i][j]);
		free(session->folds[i]);
		session->folds[i] = NULL;
	}
	for (size_t i = 0; session->edges && i <= session->columns; i++)
		fold_edges_destroy(session->edges[i]);
	free(session->edges);
	session->edges = NULL;
}
