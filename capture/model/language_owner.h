/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose code a function is by what its language puts into names and paths. All of them answer PR_OWNER_COUNT where the
 * name and the path are not of that language.
 *
 * Sources: `go help importpath` and `go help modules`; nodejs.org/api/modules.html; the layout that `gem environment`
 * and `cargo --list` document; the packages of java.base and of the Scala and Kotlin libraries.
 */
#ifndef PR_CAPTURE_MODEL_LANGUAGE_OWNER_H
#define PR_CAPTURE_MODEL_LANGUAGE_OWNER_H

#include "capture/model/code_world.h"
#include "profrender/owner.h"

/* Node, Deno, browsers, Ruby, PHP and Perl: by the path of a script. */
enum pr_owner pr_owner_of_script(struct pr_text file);

/*
 * A path of Python code without the folder of sys.path that it was found in, as py-spy leaves it: "json/decoder.py".
 * Only for profiles that have none but such paths.
 */
enum pr_owner pr_owner_of_short_python(struct pr_text file);

/*
 * A guess from names. A Metaflow profile card has files without their folders, "console.py", or "" of what has no
 * source, and those may be anybody's. Of files called as Metaflow's, Click's and Rich's are, and of private modules, a
 * library has what runs when they are imported, and what starts a task; any other function there is the user's. Each
 * __init__.py is a library's, as most packages are.
 */
enum pr_owner pr_owner_of_bare_python(struct pr_text function, struct pr_text file);

/* By import path; FILE may be empty. Only for profiles of a Go program. */
enum pr_owner pr_owner_of_go(const struct pr_code_world *world, struct pr_text function, struct pr_text file);

/* By package: "java/lang/Thread.run", "java.lang.Thread.run", "Ljava/lang/Thread;::run". Only for those of a JVM. */
enum pr_owner pr_owner_of_jvm(const struct pr_code_world *world, struct pr_text function);

/* "System.Private.CoreLib!System.Threading.Thread.StartCallback()". */
enum pr_owner pr_owner_of_dotnet(struct pr_text function);

/* Operators, gradients and optimizers, as PyTorch's profiler names them. Only for its traces; labels are the user's. */
enum pr_owner pr_owner_of_torch(struct pr_text function);

/* By namespace, crate and the template that a function was made from: C++ and Rust. */
enum pr_owner pr_owner_of_namespace(const struct pr_code_world *world, struct pr_text function);

/* The import path of a Go function: "github.com/lib/pq" of "github.com/lib/pq.(*conn).query"; empty: none. */
struct pr_text pr_go_import_path(struct pr_text function);

/* The class of a JVM's function with its package, as written; empty: it does not look like one. */
struct pr_text pr_jvm_class(struct pr_text function);

/* The first namespace or crate of a C++ or Rust function, without what its template returns; empty: none. */
struct pr_text pr_first_namespace(struct pr_text function);

/* Whether PATH has the folders FOLDER, as in "/node_modules/", also right at its beginning. */
bool pr_path_has(struct pr_text path, const char *folder);

#endif
