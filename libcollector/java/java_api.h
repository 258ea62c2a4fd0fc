/* java_api.h: control of the recording by a Java program, with the class
 * share/java/collector/CollectorAPI.java. */
#ifndef XER_COLLECTOR_JAVA_API_H
#define XER_COLLECTOR_JAVA_API_H

#include "libcollector/java/jvmti.h"

/* The signature of that class. */
#define JAVA_API_CLASS "Lcollector/CollectorAPI;"

/* It is prepared: bind its methods. In a callback of JVMTI. */
void java_api_bind(struct java_env *java, void *class);

#endif
