// SPDX-License-Identifier: Apache-2.0
import java.util.*;
import java.util.concurrent.*;

/** Threads that hold memory by local variables and by thread locals: java Crew DUMP [HISTOGRAM]. */
public class Crew {
    static final ThreadLocal<byte[][]> KEPT = new ThreadLocal<>();
    static final CountDownLatch READY = new CountDownLatch(4), STOP = new CountDownLatch(1);

    static class Load { final byte[] bytes = new byte[100_000]; }

    static void hold(int loads) throws Exception {
        List<Load> mine = new ArrayList<>();
        for (int i = 0; i < loads; i++) mine.add(new Load());
        READY.countDown();
        STOP.await();
        System.out.println(mine.size());
    }

    static void keep() throws Exception {
        KEPT.set(new byte[10][50_000]);
        READY.countDown();
        STOP.await();
    }

    static Thread start(String name, Callable<Void> work) {
        Thread thread = new Thread(() -> { try { work.call(); } catch (Exception e) { throw new RuntimeException(e); } }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public static void main(String[] args) throws Exception {
        start("loader-1", () -> { hold(20); return null; });
        start("loader-2", () -> { hold(5); return null; });
        start("keeper", () -> { keep(); return null; });
        start("工作", () -> { hold(3); return null; });
        READY.await();
        Thread.sleep(300);
        var bean = java.lang.management.ManagementFactory.getPlatformMBeanServer();
        var diag = java.lang.management.ManagementFactory.newPlatformMXBeanProxy(bean, "com.sun.management:type=HotSpotDiagnostic", com.sun.management.HotSpotDiagnosticMXBean.class);
        diag.dumpHeap(args[0], true);
        if (args.length > 1) {
            var p = new ProcessBuilder("jmap", "-histo:live", "" + ProcessHandle.current().pid()).redirectOutput(new java.io.File(args[1])).start();
            p.waitFor();
        }
    }
}
